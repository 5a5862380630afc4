// Finds the first sort key of the page of one series that ends before a sort key, and the sort key before that.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(series, place)
WHERE p.series = $id AND p.place >= $from AND p.place < $to
WITH p ORDER BY p.series DESC, p.place DESC
SKIP toInteger($skip) LIMIT 2
RETURN p.place AS place
