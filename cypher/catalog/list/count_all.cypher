// Counts the nodes with a label from the count store, without reading any of them.
MATCH (n:${LABEL})
RETURN count(n) AS total
