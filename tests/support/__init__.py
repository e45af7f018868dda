"""What the tests are told with: worlds to tell stories in, and ways to kill, watch and look."""
