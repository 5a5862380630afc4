// Answers the newest profiles of a column of a record, the newest first; of columns with personal data none.
MATCH (column:Column {fullyQualifiedName: $fqn})
WHERE column.key STARTS WITH $id
  AND NOT EXISTS { (column)-[:TAGGED]->(:Tag {fullyQualifiedName: 'PII.Sensitive'}) }
CALL (column) {
  MATCH (p:Profile)
  USING INDEX SEEK p:Profile(series, place)
  WHERE p.series = column.profileSeries AND p.place >= ''
  WITH p ORDER BY p.series, p.place
  LIMIT toInteger($limit)
  RETURN p
}
RETURN p.timestamp AS timestamp, p.json AS json
