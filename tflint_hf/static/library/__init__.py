"""Models of the libraries that training programs use: what their calls give and which events they are."""
