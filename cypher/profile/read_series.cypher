// Answers the series of columns by their keys; those that were never measured have none.
UNWIND $keys AS key
MATCH (c:Column {key: key})
RETURN key, c.profileSeries AS series, COUNT { (c)-[:HAS_PROFILE]->() } AS total
