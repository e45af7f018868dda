"""The keys by topic, in the order in which footer and help show them; the command palette and `keys:` follow it too."""
