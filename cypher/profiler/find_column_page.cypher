// Answers where a page of one column begins that ends before a place, and where the row before it lies.
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
