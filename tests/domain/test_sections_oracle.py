"""Two parsers of Markdown that know nothing of each other see the same headings in what agents really write."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from orange_tui.domain.text.sections import outline

CORPUS = {
    "a plan with nested lists": """
## Plan

1. Read `src/auth.py`
   - the session is created twice
   - `## not a heading` in code
2. Change it:

   ```python
   # not a heading
   def login(): ...
   ```

3. Test

Next steps
----------
* one
* two
    * deeper

      with a paragraph
""",
    "a handoff with fields, a table and code": """## Handoff
DONE: the login loop is gone
REMAINING: nothing

| file | change |
|------|--------|
| a.py | ## no  |

### Details

```diff
--- a/a.py
+++ b/a.py
@@ -1 +1 @@
-# Old
+# New
```

~~~text
## Review
~~~
    ## indented, so code

## Review
Verdict: PASS
""",
    "a review that quotes the plan": """## Review
**Verdict: FAIL**

> ## Plan
> 1. do it
and lazily on
## After the quote
> - a
>   ## nested
>
> # still quoted

- [ ] fix this
- [x] done
### Findings ###
Text with #hashtag and a trailing #
#hashtag at the head of a line
####### seven is too many
\\## escaped
""",
    "a template with comments": """<!-- Write below. -->
## Context

<!--
## Plan
One step per line
-->

## Plan <!-- the plan -->
<!-- ## Notes --> text
## Notes
text <!--
## Questions
-->
""",
    "details and other HTML": """<details>
<summary>Log</summary>

## Seen

</details>

<div>
## Not seen
</div>

## Seen again
<pre>

## Not seen in pre

</pre>
## Third
<br>
## Fourth
- item
<div>
## Not seen after the list
</div>

## Fifth
""",
    "underlined headings and rules": """Title
=====

Part
----
text
***
- - -
___

Two lines
of one heading
---

- item
---
> quote
---
text

---

| a | b |
|---|---|
---
""",
    "lists that end in every way": """- a
## One
1. a

   b
## Two
* a
  * b
    * c
## Three
- a

text
## Four
10. ten
    more
   ## Five
- a

  ## nested
 ## Six
+ a
- b
* c
## Seven
-
## Eight
""",
    "fences of every kind": """```
## a
~~~
## b
```
## One
````md
```
## c
```
````
## Two
~~~~
~~~
## d
~~~~~
## Three
   ```
   ## e
   ```
## Four
``` not ` a fence
## Five
- ```
  ## f
## Six
> ```
> ## g
## Seven
```
## left open
""",
    "empty and odd headings": """#
##
### ###
## #
## \tTabbed
##\tTab
   ## Indented
## Trailing blanks \x20
## C#
## a # b #
# `code` **bold** [link](x)
text
# Right after
text
""",
    "link references": """[a]: http://x
## One
[b]:
  http://y
  "title"
## Two
[c]: <z> 'left open
## Three

[d]: z
Heading
---
""",
    "what an agent that was cut off leaves": """## Plan
1. one
## Handoff
DONE: half of
<!-- and
## Review
""",
    "prose in other languages": """## Übergabe
FERTIG: ja
## 計画
- 読む
## План
текст 🍊
""",
}


def headings_by_markdown_it(body: str) -> list[tuple[int, ...]]:
    tokens = MarkdownIt("commonmark").parse(body)
    return [
        (int(token.tag[1]), *token.map)
        for token in tokens
        if token.type == "heading_open" and not token.level and token.map
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["Unix", "Windows"])
@pytest.mark.parametrize("story", CORPUS)
def test_both_parsers_see_the_same_headings_on_the_same_lines(story: str, newline: str) -> None:
    body = CORPUS[story].replace("\n", newline)
    ours = [(heading.level, heading.line, heading.after) for heading in outline(body).headings]
    assert ours == headings_by_markdown_it(body)
    assert ours


@pytest.mark.parametrize("story", CORPUS)
def test_both_parsers_agree_wherever_the_text_was_cut_off(story: str) -> None:
    lines = CORPUS[story].splitlines(keepends=True)
    for end in range(1, len(lines)):
        body = "".join(lines[:end])
        ours = [(heading.level, heading.line) for heading in outline(body).headings]
        assert ours == [heading[:2] for heading in headings_by_markdown_it(body)], body


def test_both_parsers_agree_on_all_examples_in_one_file() -> None:
    body = "\n\n".join(text for story, text in CORPUS.items() if "cut off" not in story and "fences" not in story)
    ours = [(heading.level, heading.line, heading.after) for heading in outline(body).headings]
    assert ours == headings_by_markdown_it(body)
    assert len(ours) > 30
