// Finds out whether a transaction committed whose answer was lost: any one of its events or receipts proves it.
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
