"""What `prices.py` has to do; run with `python -m unittest check_prices`."""

import unittest

import prices


class Prices(unittest.TestCase):
    """One sale after the other."""

    def test_the_tax_is_added(self) -> None:
        """19 percent of 100 are 19."""
        assert prices.price(100, "DE") == 119.0

    def test_prices_are_rounded_to_cents(self) -> None:
        """Nobody pays a tenth of a cent."""
        assert prices.price(0.99, "AT") == 1.19

    def test_books_are_taxed_less(self) -> None:
        """The reduced rates are still there."""
        assert prices.price(100, "DE", "book") == 107.0


if __name__ == "__main__":
    unittest.main()
