// Answers, of those of some records that are gone, the event that remembers whom it was to be told. An event gets its number between two looks, so those without one are looked at first.
UNWIND $ids AS id
WITH id
WHERE NOT EXISTS { (:Entity {id: id}) }
CALL (id) {
  MATCH (farewell:Unsequenced)
  WHERE farewell.entityId = id AND farewell.revision IS NOT NULL AND farewell.eventType = 'entityDeleted'
  RETURN farewell
  UNION
  MATCH (farewell:ChangeEvent)
  WHERE farewell.entityId = id AND farewell.place > '' AND farewell.eventType = 'entityDeleted'
  RETURN farewell
}
RETURN id, farewell.id AS farewellId
