// Counts all that was ever measured of one column but for what lies between two places.
MATCH (c:Column {key: $id})
RETURN COUNT { (c)-[:HAS_PROFILE]->() } - COUNT {
  MATCH (p:Profile)
  USING INDEX SEEK p:Profile(series, place)
  WHERE p.series = c.profileSeries AND p.place >= $from AND p.place < $to
} AS total
