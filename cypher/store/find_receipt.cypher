// Whether a transaction took place whose answer was lost: it wrote its events, so that any of them tells.
UNWIND $ids AS id
MATCH (event:ChangeEvent {id: id})
RETURN event.id AS id
LIMIT 1
