// Answers one page of the documents of a query by relevance. Only documents that can get onto the page are sorted: those
// whose score, with what the most popular document gains, reaches the last score of a page by score alone.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL () {
  MATCH (popular:SearchDoc)
  USING INDEX popular:SearchDoc(popularity)
  WHERE popular.popularity > 0
  WITH popular.popularity AS popularity
  ORDER BY popularity DESC
  LIMIT 1
  RETURN 0.3 * log(1 + coalesce(max(popularity), 0)) AS gain
}
CALL () {
  CALL db.index.fulltext.queryNodes($index, $query, {limit: toInteger($from + $size)}) YIELD score
  RETURN count(*) AS filled, min(score) AS last
}
WITH CASE WHEN filled < $from + $size THEN -1.0 ELSE last - gain - 0.00001 END AS least
CALL db.index.fulltext.queryNodes($index, $query) YIELD node, score
WITH node, score, least
WHERE score >= least
WITH node, score + 0.3 * log(1 + node.popularity) AS key
ORDER BY key DESC, node.nameSort, node.id
SKIP toInteger($from)
LIMIT toInteger($size)
RETURN node.id AS id, node.entityType AS entityType, key, node.nameSort AS name
