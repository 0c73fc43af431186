"""What a model file holds, for people: facts, the weights of its learners with intervals, a picture."""
