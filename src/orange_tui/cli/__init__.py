"""The command line: thin, quick, never imports Textual."""
