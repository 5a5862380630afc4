// Counts the upstream and downstream neighbours of some records at a given time.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN
  id,
  COUNT {
    MATCH (n)<-[edge:FEEDS|FED_UNTIL]-(other:Entity)
    WHERE edge.since <= $at AND coalesce(edge.until, $at + 1) > $at AND ($deleted IS NULL OR other.deleted = $deleted)
  } AS upstream,
  COUNT {
    MATCH (n)-[edge:FEEDS|FED_UNTIL]->(other:Entity)
    WHERE edge.since <= $at AND coalesce(edge.until, $at + 1) > $at AND ($deleted IS NULL OR other.deleted = $deleted)
  } AS downstream
