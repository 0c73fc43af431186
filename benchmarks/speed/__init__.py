"""What `make bench` is made of: streams, contestants, a worker that times one, the table and the picture."""
