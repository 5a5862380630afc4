// Lists a page of the profiles of one column between two sort keys, newest first.
MATCH (c:Column {key: $id})
CALL (c) {
  MATCH (p:Profile)
  USING INDEX SEEK p:Profile(series, place)
  WHERE p.series = c.profileSeries AND p.place >= $from AND p.place < $to
  WITH p ORDER BY p.series, p.place
  LIMIT toInteger($limit)
  RETURN p
}
RETURN p.place AS place, p.tableId AS tableId, c.key AS key, p.json AS json
