-- | Values as people write and read them: `i32:5`, `f64:-0.5`, `f32:nan:0x400000`.
module Text
  ( showValue
  , readValue
  ) where

import Data.Bits (bit, complementBit, testBit, (.&.), (.|.))
import Data.Char (isDigit, isHexDigit)
import Data.Word (Word32, Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Numeric (readHex, showHex)

import Wasm.Syntax

-- | Integers as signed numbers.
showValue :: Value -> String
showValue v = show (typeOfValue v) ++ ":" ++ case v of
  I32 w -> show (if w >= 0x80000000 then toInteger w - 0x100000000 else toInteger w)
  I64 w -> show (if w >= 0x8000000000000000 then toInteger w - 0x10000000000000000 else toInteger w)
  F32 w
    | isNaN (castWord32ToFloat w) -> sign (testBit w 31) ++ "nan:0x" ++ showHex (w .&. 0x7fffff) ""
    | otherwise -> infinity (show (castWord32ToFloat w))
  F64 w
    | isNaN (castWord64ToDouble w) -> sign (testBit w 63) ++ "nan:0x" ++ showHex (w .&. 0xfffffffffffff) ""
    | otherwise -> infinity (show (castWord64ToDouble w))
  where
    sign b = if b then "-" else ""
    infinity s = case s of
      "Infinity" -> "inf"
      "-Infinity" -> "-inf"
      _ -> s

-- | A number as a value of the type, if it is one. Integers may be signed or
-- unsigned, decimal or hexadecimal.
readValue :: ValType -> String -> Maybe Value
readValue t s = case t of
  I32Type -> I32 . fromInteger <$> (integer s >>= within 32)
  I64Type -> I64 . fromInteger <$> (integer s >>= within 64)
  F32Type -> F32 <$> float32 s
  F64Type -> F64 <$> float64 s
  where
    within bits n
      | n >= negate (2 ^ (bits - 1 :: Int)) && n < (2 ^ (bits :: Int) :: Integer) = Just n
      | otherwise = Nothing

integer :: String -> Maybe Integer
integer ('-' : s) = negate <$> natural s
integer s = natural s

natural :: String -> Maybe Integer
natural ('0' : 'x' : s) | all isHexDigit s, [(n, "")] <- readHex s = Just n
natural s
  | not (null s), all isDigit s = Just (read s)
  | otherwise = Nothing

float32 :: String -> Maybe Word32
float32 s = case s of
  '-' : rest -> (`complementBit` 31) <$> positive rest
  _ -> positive s
  where
    positive "inf" = Just 0x7f800000
    positive "nan" = Just 0x7fc00000
    positive ('n' : 'a' : 'n' : ':' : p) = (\n -> 0x7f800000 .|. fromInteger n) <$> payload 23 p
    positive p = castFloatToWord32 . fromRational <$> decimal p

float64 :: String -> Maybe Word64
float64 s = case s of
  '-' : rest -> (`complementBit` 63) <$> positive rest
  _ -> positive s
  where
    positive "inf" = Just 0x7ff0000000000000
    positive "nan" = Just 0x7ff8000000000000
    positive ('n' : 'a' : 'n' : ':' : p) = (\n -> 0x7ff0000000000000 .|. fromInteger n) <$> payload 52 p
    positive p = castDoubleToWord64 . fromRational <$> decimal p

payload :: Int -> String -> Maybe Integer
payload bits p = natural p >>= \n -> if n > 0 && n < bit bits then Just n else Nothing

-- | Digits, perhaps a point and more, perhaps an exponent of three digits.
decimal :: String -> Maybe Rational
decimal s
  | null whole || (null fraction && pointed) = Nothing
  | otherwise = (* mantissa) . (10 ^^) <$> exponent10 rest
  where
    (whole, afterWhole) = span isDigit s
    (pointed, fraction, rest) = case afterWhole of
      '.' : more -> let (f, r) = span isDigit more in (True, f, r)
      _ -> (False, "", afterWhole)
    mantissa = fromInteger (read (whole ++ fraction)) / 10 ^ length fraction :: Rational
    exponent10 :: String -> Maybe Integer
    exponent10 "" = Just 0
    exponent10 (e : more) | e `elem` "eE" = case more of
      '+' : ds | ok ds -> Just (read ds)
      '-' : ds | ok ds -> Just (negate (read ds))
      ds | ok ds -> Just (read ds)
      _ -> Nothing
    exponent10 _ = Nothing
    ok ds = not (null ds) && all isDigit ds && length ds <= 3
