// Answers the number of documents of a query, and the average text size of a sample.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes($index, $query, {limit: toInteger($some)}) YIELD node
WITH avg(size(node.terms) + size(node.bag) + size(node.facetKey)) AS size
CALL db.index.fulltext.queryNodes($index, $query) YIELD node
RETURN count(node) AS documents, coalesce(size, 0) AS size
