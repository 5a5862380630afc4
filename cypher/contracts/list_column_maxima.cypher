// Lists the newest profiles of a column up to a moment, newest first; none for columns with personal data. Sort keys
// contain inverted timestamps, so ascending order is newest first.
MATCH (column:Column {key: $id})
WHERE NOT EXISTS { (column)-[:TAGGED]->(:Tag {fullyQualifiedName: 'PII.Sensitive'}) }
CALL (column) {
  MATCH (p:Profile)
  USING INDEX SEEK p:Profile(series, place)
  WHERE p.series = column.profileSeries AND p.place >= 'c ' + right('000000000000000' + toString(9007199254740991 - toInteger($until)), 16)
  WITH p ORDER BY p.series, p.place
  LIMIT toInteger($limit)
  RETURN p
}
RETURN p.timestamp AS timestamp, p.json AS json
