// Lists everything from which the descriptions of some records follow: the records, what is above them, and the owners,
// domains and tags of all of these, deleted ones too.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:CONTAINS*0..50]-(holder:Entity)
WITH DISTINCT holder
RETURN
  holder.id AS id,
  [(holder)<-[:OWNS]-(owner:Entity) | owner.id]
    + [(holder)-[:IN_DOMAIN]->(domain:Entity) | domain.id]
    + [(holder)-[:TAGGED]->(tag:Entity) | tag.id] AS mentioned
