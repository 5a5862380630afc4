// Counts all lineage edges; the database answers this from its stored counts.
MATCH ()-[edge:FEEDS]->()
RETURN count(edge) AS count
