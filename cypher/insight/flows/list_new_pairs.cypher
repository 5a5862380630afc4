// Lists the column pairs of some edges that are as new as said.
UNWIND $rows AS row
MATCH (:Entity {id: row.from})-[edge:FEEDS]->(:Entity {id: row.to})
RETURN
  row.at AS at,
  COLLECT {
    MATCH (one)-[pair:DERIVES]->(other)
    WHERE pair.edgeId = edge.id AND pair.since >= row.since
    RETURN [coalesce(one.key, one.id), coalesce(other.key, other.id)]
  } AS pairs
