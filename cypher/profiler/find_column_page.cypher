// Finds the first sort key of the page of one column that ends before a sort key, and the sort key before that.
MATCH (c:Column {key: $id})
CALL (c) {
  MATCH (p:Profile)
  USING INDEX SEEK p:Profile(series, place)
  WHERE p.series = c.profileSeries AND p.place >= $from AND p.place < $to
  WITH p ORDER BY p.series DESC, p.place DESC
  SKIP toInteger($skip) LIMIT 2
  RETURN p
}
RETURN p.place AS place
