"""What the app shows, a screen each."""
