// Answers one page of the documents of a query in ascending or descending order of a property, a term or the score.
// Documents without a value come last. The documents are sorted as the index answers them and never collected: a sorted
// row would count the whole list as its own.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes($index, $query) YIELD node, score
WHERE $only IS NULL OR node.id IN $only
WITH node, CASE $by
  WHEN 'score' THEN CASE WHEN $flat THEN 1.0 ELSE score + 0.3 * log(1 +
    CASE WHEN $worth IS NULL OR $worth[node.entityType] IS NULL THEN node.popularity ELSE reduce(
      sum = $worth[node.entityType].base,
      term IN split(node.terms, ' ') | sum + coalesce($worth[node.entityType].terms[term], 0.0)
    ) END) END
  WHEN 'property' THEN coalesce(node[$member], '')
  ELSE reduce(
    best = '',
    term IN [one IN split(node.terms, ' ') WHERE one STARTS WITH $member | CASE WHEN $folds THEN toLower(one) ELSE one END] |
    CASE WHEN best = '' OR term ${BEFORE} best THEN term ELSE best END
  )
END AS key
WITH node, key, key = '' AS isMissing
WHERE $behind IS NULL
  OR isMissing > $behind.isMissing
  OR isMissing = $behind.isMissing AND (
    key ${AFTER} $behind.key
    OR key = $behind.key AND (
      node.nameSort > $behind.name
      OR node.nameSort = $behind.name AND node.id > $behind.id
    )
  )
WITH node, key, isMissing
ORDER BY isMissing, key${ORDER}, node.nameSort, node.id
SKIP toInteger($from)
LIMIT toInteger($size)
RETURN node.id AS id, node.entityType AS entityType, key, node.nameSort AS name
