// Counts all profiles of one column except those between two sort keys.
MATCH (c:Column {key: $id})
RETURN COUNT { (c)-[:HAS_PROFILE]->() } - COUNT {
  MATCH (p:Profile)
  USING INDEX SEEK p:Profile(series, place)
  WHERE p.series = c.profileSeries AND p.place >= $from AND p.place < $to
} AS total
