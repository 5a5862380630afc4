// Counts the records that the search index has yet to look at.
MATCH (n:Dirty)
RETURN count(n) AS waiting
