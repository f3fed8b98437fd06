-- | The numeric instructions, exactly as specified.
--
-- Floats arrive and leave as bit patterns; what moves bits (`neg`, `abs`,
-- `copysign`, reinterpretation) never goes through a floating-point register,
-- because that could quieten a signalling NaN.
module Wasm.Numeric
  ( unary, binary
    -- * Single operations, for evaluators that do not work on `Value`
  , divS32, divU32, remS32, remU32, divS64, divU64, remS64, remU64
  , truncF32, truncF64, Target (..)
  , ceil32, floor32, trunc32, nearest32, min32, max32
  , ceil64, floor64, trunc64, nearest64, min64, max64
  , convertU64F32, convertU64F64
  , shl32, shrS32, shrU32, rotl32, rotr32, shl64, shrS64, shrU64, rotl64, rotr64
  ) where

import Data.Bits
import Data.Int (Int32, Int64)
import Data.Word (Word32, Word64)
import GHC.Float
  ( castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble
  , double2Float, double2Int, float2Double, int2Double, int2Float
  )

import Wasm.Syntax
import Wasm.Trap

unary :: UnaryOp -> Value -> Either Trap Value
unary op v = case v of
  I32 x -> unary32 op x
  I64 x -> unary64 op x
  F32 x -> unaryF32 op x
  F64 x -> unaryF64 op x

wrongType :: a
wrongType = error "an operand of the wrong type: the validator should have refused the module"

unary32 :: UnaryOp -> Word32 -> Either Trap Value
unary32 op x = case op of
  I32Eqz -> bool (x == 0)
  I32Clz -> Right (I32 (fromIntegral (countLeadingZeros x)))
  I32Ctz -> Right (I32 (fromIntegral (countTrailingZeros x)))
  I32Popcnt -> Right (I32 (fromIntegral (popCount x)))
  I64ExtendI32S -> Right (I64 (fromIntegral (signed32 x)))
  I64ExtendI32U -> Right (I64 (fromIntegral x))
  F32ConvertI32S -> f32 (int2Float (fromIntegral (signed32 x)))
  F32ConvertI32U -> f32 (int2Float (fromIntegral x))
  F64ConvertI32S -> f64 (int2Double (fromIntegral (signed32 x)))
  F64ConvertI32U -> f64 (int2Double (fromIntegral x))
  F32ReinterpretI32 -> Right (F32 x)
  _ -> wrongType

unary64 :: UnaryOp -> Word64 -> Either Trap Value
unary64 op x = case op of
  I64Eqz -> bool (x == 0)
  I64Clz -> Right (I64 (fromIntegral (countLeadingZeros x)))
  I64Ctz -> Right (I64 (fromIntegral (countTrailingZeros x)))
  I64Popcnt -> Right (I64 (fromIntegral (popCount x)))
  I32WrapI64 -> Right (I32 (fromIntegral x))
  F32ConvertI64S -> f32 (int2Float (fromIntegral x))
  F32ConvertI64U -> f32 (convertU64F32 x)
  F64ConvertI64S -> f64 (int2Double (fromIntegral x))
  F64ConvertI64U -> f64 (convertU64F64 x)
  F64ReinterpretI64 -> Right (F64 x)
  _ -> wrongType

unaryF32 :: UnaryOp -> Word32 -> Either Trap Value
unaryF32 op x = case op of
  F32Abs -> Right (F32 (clearBit x 31))
  F32Neg -> Right (F32 (complementBit x 31))
  F32Ceil -> f32 (ceil32 f)
  F32Floor -> f32 (floor32 f)
  F32Trunc -> f32 (trunc32 f)
  F32Nearest -> f32 (nearest32 f)
  F32Sqrt -> f32 (sqrt f)
  I32TruncF32S -> I32 . fromIntegral <$> truncF32 S32 f
  I32TruncF32U -> I32 . fromIntegral <$> truncF32 U32 f
  I64TruncF32S -> I64 <$> truncF32 S64 f
  I64TruncF32U -> I64 <$> truncF32 U64 f
  F64PromoteF32 -> f64 (float2Double f)
  I32ReinterpretF32 -> Right (I32 x)
  _ -> wrongType
  where
    f = castWord32ToFloat x

unaryF64 :: UnaryOp -> Word64 -> Either Trap Value
unaryF64 op x = case op of
  F64Abs -> Right (F64 (clearBit x 63))
  F64Neg -> Right (F64 (complementBit x 63))
  F64Ceil -> f64 (ceil64 f)
  F64Floor -> f64 (floor64 f)
  F64Trunc -> f64 (trunc64 f)
  F64Nearest -> f64 (nearest64 f)
  F64Sqrt -> f64 (sqrt f)
  I32TruncF64S -> I32 . fromIntegral <$> truncF64 S32 f
  I32TruncF64U -> I32 . fromIntegral <$> truncF64 U32 f
  I64TruncF64S -> I64 <$> truncF64 S64 f
  I64TruncF64U -> I64 <$> truncF64 U64 f
  F32DemoteF64 -> f32 (double2Float f)
  I64ReinterpretF64 -> Right (I64 x)
  _ -> wrongType
  where
    f = castWord64ToDouble x

binary :: BinaryOp -> Value -> Value -> Either Trap Value
binary op (I32 x) (I32 y) = binary32 op x y
binary op (I64 x) (I64 y) = binary64 op x y
binary op (F32 x) (F32 y) = binaryF32 op x y
binary op (F64 x) (F64 y) = binaryF64 op x y
binary _ _ _ = wrongType

binary32 :: BinaryOp -> Word32 -> Word32 -> Either Trap Value
binary32 op x y = case op of
  I32Eq -> bool (x == y)
  I32Ne -> bool (x /= y)
  I32LtS -> bool (signed32 x < signed32 y)
  I32LtU -> bool (x < y)
  I32GtS -> bool (signed32 x > signed32 y)
  I32GtU -> bool (x > y)
  I32LeS -> bool (signed32 x <= signed32 y)
  I32LeU -> bool (x <= y)
  I32GeS -> bool (signed32 x >= signed32 y)
  I32GeU -> bool (x >= y)
  I32Add -> i32 (x + y)
  I32Sub -> i32 (x - y)
  I32Mul -> i32 (x * y)
  I32DivS -> I32 <$> divS32 x y
  I32DivU -> I32 <$> divU32 x y
  I32RemS -> I32 <$> remS32 x y
  I32RemU -> I32 <$> remU32 x y
  I32And -> i32 (x .&. y)
  I32Or -> i32 (x .|. y)
  I32Xor -> i32 (x `xor` y)
  I32Shl -> i32 (shl32 x y)
  I32ShrS -> i32 (shrS32 x y)
  I32ShrU -> i32 (shrU32 x y)
  I32Rotl -> i32 (rotl32 x y)
  I32Rotr -> i32 (rotr32 x y)
  _ -> wrongType
  where
    i32 = Right . I32

binary64 :: BinaryOp -> Word64 -> Word64 -> Either Trap Value
binary64 op x y = case op of
  I64Eq -> bool (x == y)
  I64Ne -> bool (x /= y)
  I64LtS -> bool (signed64 x < signed64 y)
  I64LtU -> bool (x < y)
  I64GtS -> bool (signed64 x > signed64 y)
  I64GtU -> bool (x > y)
  I64LeS -> bool (signed64 x <= signed64 y)
  I64LeU -> bool (x <= y)
  I64GeS -> bool (signed64 x >= signed64 y)
  I64GeU -> bool (x >= y)
  I64Add -> i64 (x + y)
  I64Sub -> i64 (x - y)
  I64Mul -> i64 (x * y)
  I64DivS -> I64 <$> divS64 x y
  I64DivU -> I64 <$> divU64 x y
  I64RemS -> I64 <$> remS64 x y
  I64RemU -> I64 <$> remU64 x y
  I64And -> i64 (x .&. y)
  I64Or -> i64 (x .|. y)
  I64Xor -> i64 (x `xor` y)
  I64Shl -> i64 (shl64 x y)
  I64ShrS -> i64 (shrS64 x y)
  I64ShrU -> i64 (shrU64 x y)
  I64Rotl -> i64 (rotl64 x y)
  I64Rotr -> i64 (rotr64 x y)
  _ -> wrongType
  where
    i64 = Right . I64

binaryF32 :: BinaryOp -> Word32 -> Word32 -> Either Trap Value
binaryF32 op a b = case op of
  F32Eq -> bool (x == y)
  F32Ne -> bool (x /= y)
  F32Lt -> bool (x < y)
  F32Gt -> bool (x > y)
  F32Le -> bool (x <= y)
  F32Ge -> bool (x >= y)
  F32Add -> f32 (x + y)
  F32Sub -> f32 (x - y)
  F32Mul -> f32 (x * y)
  F32Div -> f32 (x / y)
  F32Min -> f32 (min32 x y)
  F32Max -> f32 (max32 x y)
  F32Copysign -> Right (F32 (clearBit a 31 .|. (b .&. bit 31)))
  _ -> wrongType
  where
    x = castWord32ToFloat a
    y = castWord32ToFloat b

binaryF64 :: BinaryOp -> Word64 -> Word64 -> Either Trap Value
binaryF64 op a b = case op of
  F64Eq -> bool (x == y)
  F64Ne -> bool (x /= y)
  F64Lt -> bool (x < y)
  F64Gt -> bool (x > y)
  F64Le -> bool (x <= y)
  F64Ge -> bool (x >= y)
  F64Add -> f64 (x + y)
  F64Sub -> f64 (x - y)
  F64Mul -> f64 (x * y)
  F64Div -> f64 (x / y)
  F64Min -> f64 (min64 x y)
  F64Max -> f64 (max64 x y)
  F64Copysign -> Right (F64 (clearBit a 63 .|. (b .&. bit 63)))
  _ -> wrongType
  where
    x = castWord64ToDouble a
    y = castWord64ToDouble b

bool :: Bool -> Either Trap Value
bool b = Right (I32 (if b then 1 else 0))

f32 :: Float -> Either Trap Value
f32 = Right . F32 . castFloatToWord32

f64 :: Double -> Either Trap Value
f64 = Right . F64 . castDoubleToWord64

signed32 :: Word32 -> Int32
signed32 = fromIntegral

signed64 :: Word64 -> Int64
signed64 = fromIntegral

divS32, divU32, remS32, remU32 :: Word32 -> Word32 -> Either Trap Word32
divS32 x y
  | y == 0 = Left DivideByZero
  | x == 0x80000000 && y == 0xffffffff = Left IntegerOverflow
  | otherwise = Right (fromIntegral (signed32 x `quot` signed32 y))
divU32 x y
  | y == 0 = Left DivideByZero
  | otherwise = Right (x `quot` y)
remS32 x y
  | y == 0 = Left DivideByZero
  | y == 0xffffffff = Right 0
  | otherwise = Right (fromIntegral (signed32 x `rem` signed32 y))
remU32 x y
  | y == 0 = Left DivideByZero
  | otherwise = Right (x `rem` y)
{-# INLINE divS32 #-}
{-# INLINE divU32 #-}
{-# INLINE remS32 #-}
{-# INLINE remU32 #-}

divS64, divU64, remS64, remU64 :: Word64 -> Word64 -> Either Trap Word64
divS64 x y
  | y == 0 = Left DivideByZero
  | x == 0x8000000000000000 && y == maxBound = Left IntegerOverflow
  | otherwise = Right (fromIntegral (signed64 x `quot` signed64 y))
divU64 x y
  | y == 0 = Left DivideByZero
  | otherwise = Right (x `quot` y)
remS64 x y
  | y == 0 = Left DivideByZero
  | y == maxBound = Right 0
  | otherwise = Right (fromIntegral (signed64 x `rem` signed64 y))
remU64 x y
  | y == 0 = Left DivideByZero
  | otherwise = Right (x `rem` y)
{-# INLINE divS64 #-}
{-# INLINE divU64 #-}
{-# INLINE remS64 #-}
{-# INLINE remU64 #-}

shl32, shrS32, shrU32, rotl32, rotr32 :: Word32 -> Word32 -> Word32
shl32 x n = x `unsafeShiftL` fromIntegral (n .&. 31)
shrS32 x n = fromIntegral (signed32 x `unsafeShiftR` fromIntegral (n .&. 31))
shrU32 x n = x `unsafeShiftR` fromIntegral (n .&. 31)
rotl32 x n = x `rotateL` fromIntegral (n .&. 31)
rotr32 x n = x `rotateR` fromIntegral (n .&. 31)
{-# INLINE shl32 #-}
{-# INLINE shrS32 #-}
{-# INLINE shrU32 #-}
{-# INLINE rotl32 #-}
{-# INLINE rotr32 #-}

shl64, shrS64, shrU64, rotl64, rotr64 :: Word64 -> Word64 -> Word64
shl64 x n = x `unsafeShiftL` fromIntegral (n .&. 63)
shrS64 x n = fromIntegral (signed64 x `unsafeShiftR` fromIntegral (n .&. 63))
shrU64 x n = x `unsafeShiftR` fromIntegral (n .&. 63)
rotl64 x n = x `rotateL` fromIntegral (n .&. 63)
rotr64 x n = x `rotateR` fromIntegral (n .&. 63)
{-# INLINE shl64 #-}
{-# INLINE shrS64 #-}
{-# INLINE shrU64 #-}
{-# INLINE rotl64 #-}
{-# INLINE rotr64 #-}

-- | An integer type that floats are truncated to.
data Target = S32 | U32 | S64 | U64

-- | Truncation towards zero; the result is the target's bits in 64.
truncF64 :: Target -> Double -> Either Trap Word64
truncF64 target x
  | x /= x = Left InvalidConversion
  | otherwise = case target of
      S32 | x > -2147483649 && x < 2147483648 -> Right (plain x)
      U32 | x > -1 && x < 4294967296 -> Right (plain x)
      S64 | x >= -9223372036854775808 && x < 9223372036854775808 -> Right (plain x)
      U64 | x > -1 && x < 9223372036854775808 -> Right (plain x)
          | x > -1 && x < 18446744073709551616 ->
              Right (plain (x - 9223372036854775808) `xor` 0x8000000000000000)
      _ -> Left IntegerOverflow
  where
    plain = fromIntegral . double2Int
{-# INLINE truncF64 #-}

-- | Every float is a double, so that truncation can go through one. (This
-- would be wrong for roundings; it is exact here.)
truncF32 :: Target -> Float -> Either Trap Word64
truncF32 target x
  | x /= x = Left InvalidConversion
  | otherwise = truncF64 target (float2Double x)
{-# INLINE truncF32 #-}

-- | An unsigned number as a float, rounded once. Above 2^63 the lowest bit is
-- folded into its neighbour, where it still decides ties.
convertU64F32 :: Word64 -> Float
convertU64F32 x
  | x < 0x8000000000000000 = int2Float (fromIntegral x)
  | otherwise = 2 * int2Float (fromIntegral ((x `unsafeShiftR` 1) .|. (x .&. 1)))
{-# INLINE convertU64F32 #-}

convertU64F64 :: Word64 -> Double
convertU64F64 x
  | x < 0x8000000000000000 = int2Double (fromIntegral x)
  | otherwise = 2 * int2Double (fromIntegral ((x `unsafeShiftR` 1) .|. (x .&. 1)))
{-# INLINE convertU64F64 #-}

-- | Rounding. From 2^52 on (2^23 for floats) every double is an integer; the
-- addition makes a signalling NaN quiet. The sign is copied for the zeros.
ceil64, floor64, trunc64, nearest64 :: Double -> Double
ceil64 x
  | isSmall64 x = let t = truncated64 x in sign64 x (if t < x then t + 1 else t)
  | otherwise = quiet64 x
floor64 x
  | isSmall64 x = let t = truncated64 x in sign64 x (if t > x then t - 1 else t)
  | otherwise = quiet64 x
trunc64 x
  | isSmall64 x = sign64 x (truncated64 x)
  | otherwise = quiet64 x
-- Adding and subtracting 2^52 rounds to an integer, ties to even, as all
-- additions do.
nearest64 x
  | isSmall64 x = let c = sign64 x 4503599627370496 in sign64 x ((x + c) - c)
  | otherwise = quiet64 x
{-# INLINE ceil64 #-}
{-# INLINE floor64 #-}
{-# INLINE trunc64 #-}
{-# INLINE nearest64 #-}

isSmall64 :: Double -> Bool
isSmall64 x = x > -4503599627370496 && x < 4503599627370496

truncated64 :: Double -> Double
truncated64 = int2Double . double2Int

-- | The NaN itself, quiet; infinities and large numbers as they are.
quiet64 :: Double -> Double
quiet64 x = if x /= x then x + x else x

sign64 :: Double -> Double -> Double
sign64 from x = castWord64ToDouble
  (clearBit (castDoubleToWord64 x) 63 .|. (castDoubleToWord64 from .&. bit 63))

ceil32, floor32, trunc32, nearest32 :: Float -> Float
ceil32 = throughDouble ceil64
floor32 = throughDouble floor64
trunc32 = throughDouble trunc64
nearest32 = throughDouble nearest64
{-# INLINE ceil32 #-}
{-# INLINE floor32 #-}
{-# INLINE trunc32 #-}
{-# INLINE nearest32 #-}

-- | A float rounded to an integer is a float again: nothing is rounded twice.
throughDouble :: (Double -> Double) -> Float -> Float
throughDouble f x = double2Float (f (float2Double x))
{-# INLINE throughDouble #-}

min64, max64 :: Double -> Double -> Double
min64 x y
  | x < y = x
  | y < x = y
  | x == y = castWord64ToDouble (castDoubleToWord64 x .|. castDoubleToWord64 y)
  | otherwise = x + y
max64 x y
  | x > y = x
  | y > x = y
  | x == y = castWord64ToDouble (castDoubleToWord64 x .&. castDoubleToWord64 y)
  | otherwise = x + y

min32, max32 :: Float -> Float -> Float
min32 x y
  | x < y = x
  | y < x = y
  | x == y = castWord32ToFloat (castFloatToWord32 x .|. castFloatToWord32 y)
  | otherwise = x + y
max32 x y
  | x > y = x
  | y > x = y
  | x == y = castWord32ToFloat (castFloatToWord32 x .&. castFloatToWord32 y)
  | otherwise = x + y
