// Counts the documents of a query by facet key.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes($index, $query) YIELD node
WHERE $only IS NULL OR node.id IN $only
RETURN node.facetKey AS key, count(*) AS count
