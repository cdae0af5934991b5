"""Materials' contact parameters, pair by pair: components of contact laws, and the law that they make."""
