// Answers one page of the documents of some queries by the sum of their scores plus a constant for each matching query.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes($index, query) YIELD node, score
WHERE $only IS NULL OR node.id IN $only
WITH node, sum(score + $each) AS score
WITH node, score + 0.3 * log(1 +
  CASE WHEN $worth IS NULL OR $worth[node.entityType] IS NULL THEN node.popularity ELSE reduce(
    sum = $worth[node.entityType].base,
    term IN split(node.terms, ' ') | sum + coalesce($worth[node.entityType].terms[term], 0.0)
  ) END
) AS key
WHERE $behind IS NULL
  OR key * $sign < $behind.key * $sign
  OR key = $behind.key AND (
    node.nameSort > $behind.name
    OR node.nameSort = $behind.name AND node.id > $behind.id
  )
WITH node, key
ORDER BY key * $sign DESC, node.nameSort, node.id
SKIP toInteger($from)
LIMIT toInteger($size)
RETURN node.id AS id, node.entityType AS entityType, key, node.nameSort AS name
