"""What a bank, a booster and a rule can be asked to do; each method's file gives the bodies.

The three meet once per example (`shoal.ensemble.learn_rows`):

    bank_predict      every learner votes                       votes (N, C), live (N,)
    booster_read      who the members are, their prefix answers members (M, C), present (M,), parts (M, C)
    rule_combine      one score                                 out (C,)
    -- the label arrives --
    rule_update       the rule sees how right each member was
    booster_teach     every learner is taught: `booster_assign` writes the lesson, `bank_update` gives it;
                      a cascade, whose learner i + 1 is taught by learner i's answer after its update,
                      gives `booster_teach` a body of its own
    drift_watch, drift_react    where drift is watched for (`shoal.drift`), learners are replaced

C is 1 for two classes and regression, K for K > 2 classes. A vote for two classes is in [-1, 1], its
sign the class; for K classes the largest of the K numbers is. Verbs that answer change no state.
Their signatures:

    bank_predict(bank, row, votes, live)
    bank_update(bank, row, votes, lesson)
    bank_predict_at(bank, i, row, votes)              learner i alone, into votes[i]
    bank_update_at(bank, i, row, votes, lesson)
    bank_replace(bank, i, seed)                       a fresh learner in place of learner i
    booster_read(booster, heard, live, members, present, parts)
    booster_assign(booster, heard, members, parts, live, y, weight, lesson)
    booster_teach(booster, bank, row, room, y, weight)
    rule_combine(rule, members, parts, present, out)
    rule_update(rule, members, parts, present, y, weight, age)
    drift_watch(drift, room, y)
    drift_react(drift, bank, booster, rule)
    booster_reset(booster, i), rule_reset(rule, i)    learner i was replaced: forget what was known of it
    decision_answer(decision, score, predicted, proba, t)  what is told to the user of row t
    decision_hear(decision, room, labels, t)          label t as the parts see it (room.target where regression)
    decision_count(decision, y, weight)               how much the example counts
    decision_learn(decision, room, y, weight, counted)
    rule_learn(rule, room, y, weight, age)            `rule_update`, but for rules that need the whole room

`heard` are the votes, or their signs where the ensemble's votes are hard. `y` is the position of the
true class (0 or 1 for two classes) as a float, or the regression target; `age` is the number of examples
learned since the votes were cast (0 unless the label came late).
"""

from __future__ import annotations

from typing import Any

from shoal.kernels.compiler import default_body, verb
from shoal.types import Flags, Room, Row, Scores

bank_predict = verb("bank_predict")
bank_update = verb("bank_update")
bank_predict_at = verb("bank_predict_at")
bank_update_at = verb("bank_update_at")
bank_replace = verb("bank_replace")
booster_read = verb("booster_read")
booster_assign = verb("booster_assign")
booster_teach = verb("booster_teach")
rule_combine = verb("rule_combine")
rule_update = verb("rule_update")
drift_watch = verb("drift_watch")
drift_react = verb("drift_react")
decision_answer = verb("decision_answer")
decision_hear = verb("decision_hear")
decision_count = verb("decision_count")
decision_learn = verb("decision_learn")
rule_learn = verb("rule_learn")
booster_reset = verb("booster_reset")
rule_reset = verb("rule_reset")


@default_body(booster_teach, allocates=False, thin=True)
def teach_all_at_once(booster: Any, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """Write every learner's lesson, then let all of them learn."""
    booster_assign(booster, room.heard, room.members, room.parts, room.live, y, weight, room.lesson)
    bank_update(bank, row, room.votes, room.lesson)


@default_body(booster_read, allocates=False)
def everyone_is_a_member(
    booster: Any, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """Every learner is a member; its prefix answer is the sum of the votes up to it."""
    for i in range(heard.shape[0]):
        present[i] = live[i]
    for c in range(heard.shape[1]):  # outside, so that two classes leave one plain loop over the members
        total = 0.0
        for i in range(heard.shape[0]):
            members[i, c] = heard[i, c]
            total += heard[i, c] if live[i] else 0.0
            parts[i, c] = total


@default_body(rule_learn, allocates=False, thin=True)
def rule_learns_of_members(rule: Any, room: Room, y: float, weight: float, age: float) -> None:
    """The rule sees how right each member was."""
    rule_update(rule, room.members, room.parts, room.present, y, weight, age)


@default_body(booster_reset, allocates=False, thin=True)
def booster_keeps_all(booster: Any, i: int) -> None:
    """What the booster knows of a learner may stay when it is replaced."""


@default_body(rule_reset, allocates=False, thin=True)
def rule_keeps_all(rule: Any, i: int) -> None:
    """What the rule knows of a member may stay when it is replaced."""
