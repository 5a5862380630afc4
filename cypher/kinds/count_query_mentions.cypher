// Counts the queries that mention records.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, COUNT { (n)<-[:MENTIONED_IN]-(:Entity) } AS count
