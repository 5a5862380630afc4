// Lists events after a position in time order.
MATCH (event:ChangeEvent)
WHERE event.place > $edge
WITH event ORDER BY event.place
LIMIT toInteger($limit)
RETURN event.place AS place, event.entityType AS entityType, event.entityId AS entityId, event.json AS json, event.ends AS ends
