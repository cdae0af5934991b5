"""What is simulated, as plain data: materials, shapes, particles, box, contacts, energies, starting states."""
