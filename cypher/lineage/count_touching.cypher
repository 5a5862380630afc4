// Counts the edges that join each of some columns to others.
UNWIND $keys AS key
MATCH (column:Column {key: key})
RETURN key, COUNT { (column)-[:DERIVES]-() } AS count
