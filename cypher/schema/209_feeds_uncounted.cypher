// Older programs did not count edges when they changed them. Another process may count an edge meanwhile.
MATCH ()-[edge:FEEDS]->()
WHERE edge.isCounted IS NULL AND edge.awaitsCount IS NULL
CALL (edge) {
  SET edge.id = edge.id
  WITH edge
  WHERE edge.isCounted IS NULL
  SET edge.awaitsCount = true
} IN TRANSACTIONS OF 10000 ROWS
