"""What hooks do, by topic; `services.hooks` maps names to these."""
