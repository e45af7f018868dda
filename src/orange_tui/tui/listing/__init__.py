"""The list of tasks without a screen: which rows, in which order, under which headings, in which columns.

It is given rows, and says what stands where; `widgets/task_list.py` draws that and has the cursor. Begin with
`model.py`;
a filter, an order, a grouping or a column is one entry in its table (`filters.py`, `orders.py`, `columns.py`).
"""
