"""Forms: a new task, a new job, the projects, and what can be chosen in them."""
