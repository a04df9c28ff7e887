real
