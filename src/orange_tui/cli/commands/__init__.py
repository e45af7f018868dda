"""What each command does and says. Imported when it is run."""
