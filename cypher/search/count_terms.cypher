// Counts the terms with given prefixes in the documents of a query, the most frequent first.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes($index, $query) YIELD node
WHERE $only IS NULL OR node.id IN $only
UNWIND split(node.terms, ' ') AS term
WITH node, term
WHERE any(start IN $prefixes WHERE term STARTS WITH start)
WITH term, count(node) AS count
ORDER BY count DESC, term
RETURN term, count
LIMIT toInteger($limit)
