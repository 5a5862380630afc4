// Counts the records of one kind from the count store, without reading any record.
CALL () {
  MATCH (n:${LABEL})
  RETURN count(n) AS stored
}
CALL () {
  MATCH (n:Live${LABEL})
  RETURN count(n) AS live
}
RETURN stored, live
