"""The review of one task: its diff with comments between the lines, a cursor in it, and what the person has viewed.

What is shown where is worked out without a screen: begin with `state.py`. Widgets show it and post messages; the screen
that has the keys is `screens/review.py`.
"""
