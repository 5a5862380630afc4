// Answers the number of documents of a query, one page of them by relevance, and, if wanted, how many have the same
// facet values. Only documents that can get onto the page are read: the index answers the best scores first, and no
// document gains more than the most popular one.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes($index, $query) YIELD node, score
WITH collect(node) AS nodes, collect(score) AS scores
CALL () {
  MATCH (popular:SearchDoc)
  USING INDEX popular:SearchDoc(popularity)
  WHERE popular.popularity > 0
  WITH popular.popularity AS popularity
  ORDER BY popularity DESC
  LIMIT 1
  RETURN max(popularity) AS highest
}
WITH nodes, scores, size(nodes) AS total,
  scores[toInteger($from + $size) - 1] - 0.3 * log(1 + coalesce(highest, 0)) - 0.00001 AS least
WITH nodes, scores, total, CASE WHEN least IS NULL THEN total ELSE size([one IN scores WHERE one >= least]) END AS near
CALL (nodes, scores, near) {
  UNWIND range(0, near - 1) AS at
  WITH nodes[at] AS node, scores[at] AS score
  WITH node, score + 0.3 * log(1 + node.popularity) AS key
  ORDER BY key DESC, node.nameSort, node.id
  SKIP toInteger($from)
  LIMIT toInteger($size)
  RETURN collect({id: node.id, entityType: node.entityType, key: key, name: node.nameSort}) AS rows
}
CALL (nodes) {
  UNWIND CASE WHEN $counts THEN nodes ELSE [] END AS node
  WITH node.facetKey AS key, count(*) AS count
  RETURN collect(key) AS facetKeys, collect(count) AS facetCounts
}
RETURN total, rows, facetKeys, facetCounts
