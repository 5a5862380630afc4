// Counts the documents of a query, up to a limit.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes($index, $query, {limit: toInteger($most)}) YIELD node
RETURN count(node) AS count
