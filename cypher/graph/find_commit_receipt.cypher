// Whether a transaction took place whose answer was lost: it wrote its events or left a receipt, so that any of them tells.
UNWIND $ids AS id
CALL (id) {
  MATCH (event:ChangeEvent {id: id})
  RETURN event.id AS found
  UNION ALL
  MATCH (receipt:Receipt {id: id})
  RETURN receipt.id AS found
}
RETURN found AS id
LIMIT 1
