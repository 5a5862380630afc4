// Finds the deletion events of removed records, which store the addressees. An event may be numbered between two
// matches, so unnumbered events are matched first.
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
