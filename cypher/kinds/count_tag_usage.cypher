// Counts the records and columns that carry a tag, or any tag below a classification or a tag.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n)-[:CONTAINS|PARENT_OF*0..50]->(t:Entity)
  WITH DISTINCT t
  RETURN sum(COUNT { (t)<-[:TAGGED]-() }) AS count
}
RETURN id, count
