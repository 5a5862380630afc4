// Counts the records and columns that carry a tag, or any tag below a classification or a tag, by what must be looked at
// before they count: the tag, and the record that carries it, itself or by a column.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n)-[:CONTAINS|PARENT_OF*0..50]->(t:Entity)
  WHERE NOT t.entityType IN $hiddenTypes
  WITH DISTINCT t
  MATCH (t)<-[:TAGGED]-(carrier)
  MATCH (holder:Entity {id: CASE WHEN carrier:Column THEN substring(carrier.key, 0, 36) ELSE carrier.id END})
  WHERE NOT holder.entityType IN $hiddenTypes
  WITH [one IN [t, holder] WHERE one.entityType IN $judgedTypes | [one.id, one.entityType]] AS judged
  RETURN judged, count(*) AS count
}
RETURN id, judged, null AS unit, count
LIMIT toInteger($limit)
