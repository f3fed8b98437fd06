-- | From the bytes of a file to a module, or to the reason why there is none.
--
-- Only what the binary format demands is checked here; whether the module
-- makes sense is the validator's question.
module Wasm.Decode
  ( decodeModule
  , Malformed (..)
  ) where

import Control.Monad (replicateM, unless, when)
import Data.Array (Array, accumArray, (!))
import Data.Bits (shiftL, shiftR, testBit, (.&.), (.|.))
import qualified Data.ByteString as B
import qualified Data.ByteString.Unsafe as B (unsafeIndex)
import Data.Int (Int64)
import Data.Word (Word32, Word64, Word8)
import Numeric (showHex)

import Wasm.Syntax

-- | Why the bytes are no module, and at which of them that was seen.
data Malformed = Malformed { malformedAt :: !Int, malformedWhy :: String }

instance Show Malformed where
  show (Malformed at why) = why ++ " (at byte " ++ show at ++ ")"

-- | A parser: the whole file, where to read next, and where the section ends.
newtype Get a = Get { runGet :: B.ByteString -> Int -> Int -> Got a }

data Got a = Failed !Malformed | Got a !Int

instance Functor Get where
  fmap f (Get g) = Get $ \b at end -> case g b at end of
    Got a at' -> Got (f a) at'
    Failed e -> Failed e

instance Applicative Get where
  pure a = Get $ \_ at _ -> Got a at
  Get f <*> Get g = Get $ \b at end -> case f b at end of
    Failed e -> Failed e
    Got h at' -> case g b at' end of
      Failed e -> Failed e
      Got a at'' -> Got (h a) at''

instance Monad Get where
  Get g >>= f = Get $ \b at end -> case g b at end of
    Failed e -> Failed e
    Got a at' -> runGet (f a) b at' end

malformed :: String -> Get a
malformed why = Get $ \_ at _ -> Failed (Malformed at why)

atEnd :: Get Bool
atEnd = Get $ \_ at end -> Got (at >= end) at

position :: Get Int
position = Get $ \_ at _ -> Got at at

remaining :: Get Int
remaining = Get $ \_ at end -> Got (end - at) at

byte :: Get Word8
byte = Get $ \b at end ->
  if at < end then Got (B.unsafeIndex b at) (at + 1) else Failed (Malformed at "unexpected end")

-- | The next byte, not consumed.
peekByte :: Get Word8
peekByte = Get $ \b at end ->
  if at < end then Got (B.unsafeIndex b at) at else Failed (Malformed at "unexpected end")

bytes :: Int -> Get B.ByteString
bytes n = Get $ \b at end ->
  if n >= 0 && n <= end - at
    then Got (B.take n (B.drop at b)) (at + n)
    else Failed (Malformed at "unexpected end: length out of bounds")

-- | Runs a parser on the next bytes, all of which it must use.
within :: String -> Int -> Get a -> Get a
within what size g = Get $ \b at end ->
  if size > end - at || size < 0
    then Failed (Malformed at ("unexpected end: " ++ what ++ " is longer than what follows"))
    else case runGet g b at (at + size) of
      Got _ at' | at' /= at + size -> Failed (Malformed at' ("size mismatch: " ++ what ++ " has bytes left over"))
      result -> result

-- | An unsigned number of at most so many bits, in LEB128.
unsigned :: Int -> Get Word64
unsigned bits = do
  b <- byte
  when (bits < 7 && b .&. 0x7f >= 1 `shiftL` bits) $ malformed tooLarge
  if testBit b 7
    then do
      when (bits <= 7) $ malformed tooLong
      rest <- unsigned (bits - 7)
      pure ((rest `shiftL` 7) .|. fromIntegral (b .&. 0x7f))
    else pure (fromIntegral b)

-- | A signed number of at most so many bits, in LEB128.
signed :: Int -> Get Int64
signed bits = do
  b <- byte
  -- In the last byte, the bits that do not fit must repeat the sign.
  when (bits < 7) $ do
    let above = (b .&. 0x7f) `shiftR` (bits - 1)
        ones = 0x7f `shiftR` (bits - 1)
    unless (above == 0 || above == ones) $ malformed (if testBit b 7 then tooLong else tooLarge)
  if testBit b 7
    then do
      when (bits <= 7) $ malformed tooLong
      rest <- signed (bits - 7)
      pure ((rest `shiftL` 7) .|. fromIntegral (b .&. 0x7f))
    else pure (if testBit b 6 then fromIntegral b - 128 else fromIntegral b)

tooLong, tooLarge :: String
tooLong = "integer representation too long"
tooLarge = "integer too large"

u32 :: Get Word32
u32 = fromIntegral <$> unsigned 32

index :: Get Int
index = fromIntegral <$> u32

littleEndian :: Int -> Get Word64
littleEndian n = B.foldr (\b w -> (w `shiftL` 8) .|. fromIntegral b) 0 <$> bytes n

-- | A vector. Each element takes at least one byte, so a count beyond what is
-- left is refused before anything is made of it.
vector :: Get a -> Get [a]
vector element = do
  n <- index
  left <- remaining
  when (n > left) $ malformed "unexpected end: length out of bounds"
  replicateM n element

name :: Get Name
name = do
  n <- index
  b <- bytes n
  unless (validUtf8 b) $ malformed "malformed UTF-8 encoding"
  pure b

-- | UTF-8 as the specification has it: no overlong forms, no surrogates,
-- nothing beyond U+10FFFF.
validUtf8 :: B.ByteString -> Bool
validUtf8 = go . B.unpack
  where
    go [] = True
    go (a : rest)
      | a < 0x80 = go rest
      | a >= 0xc2 && a < 0xe0 = continue (0x80, 0xbf) 0 rest
      | a == 0xe0 = continue (0xa0, 0xbf) 1 rest
      | a == 0xed = continue (0x80, 0x9f) 1 rest
      | a >= 0xe1 && a < 0xf0 = continue (0x80, 0xbf) 1 rest
      | a == 0xf0 = continue (0x90, 0xbf) 2 rest
      | a >= 0xf1 && a < 0xf4 = continue (0x80, 0xbf) 2 rest
      | a == 0xf4 = continue (0x80, 0x8f) 2 rest
      | otherwise = False
    -- The first continuation byte is in the range; so many more follow.
    continue :: (Word8, Word8) -> Int -> [Word8] -> Bool
    continue (low, high) more (b : rest)
      | b >= low && b <= high = plain more rest
    continue _ _ _ = False
    plain 0 rest = go rest
    plain n (b : rest) | b >= 0x80 && b < 0xc0 = plain (n - 1 :: Int) rest
    plain _ _ = False

valType :: Get ValType
valType = byte >>= \b -> case b of
  0x7f -> pure I32Type
  0x7e -> pure I64Type
  0x7d -> pure F32Type
  0x7c -> pure F64Type
  _ -> malformed ("invalid value type " ++ hex b)

hex :: Word8 -> String
hex b = "0x" ++ showHex b ""

blockType :: Get (Maybe ValType)
blockType = do
  b <- peekByte
  if b == 0x40 then Nothing <$ byte else Just <$> valType

functionType :: Get FuncType
functionType = do
  form <- byte
  unless (form == 0x60) $ malformed ("invalid function type: form " ++ hex form)
  FuncType <$> vector valType <*> vector valType

limits :: Get Limits
limits = do
  flag <- byte
  case flag of
    0 -> (\low -> Limits low Nothing) <$> u32
    1 -> (\low high -> Limits low (Just high)) <$> u32 <*> u32
    _ -> malformed "integer representation too long, or malformed limits flag"

tableType :: Get Limits
tableType = do
  element <- byte
  unless (element == 0x70) $ malformed ("invalid element type " ++ hex element)
  limits

globalType :: Get GlobalType
globalType = do
  t <- valType
  flag <- byte
  case flag of
    0 -> pure (GlobalType False t)
    1 -> pure (GlobalType True t)
    _ -> malformed "invalid mutability"

-- | Instructions up to `end`, which is consumed.
expression :: Get [Instr]
expression = do
  (body, stop) <- instructions 0
  if stop == 0x0b then pure body else malformed "unexpected else: END opcode expected"

-- | How deep blocks may be nested. Arbitrary; it keeps every walk over the
-- code of a hostile module within a stack of a few megabytes.
nestingLimit :: Int
nestingLimit = 5000

-- | Instructions up to `end` or `else`, and which of them it was.
instructions :: Int -> Get ([Instr], Word8)
instructions depth = go []
  where
    go acc = do
      op <- byte
      if op == 0x0b || op == 0x05
        then pure (reverse acc, op)
        else do
          i <- instruction depth op
          go (i : acc)

instruction :: Int -> Word8 -> Get Instr
instruction depth op = case op of
  0x00 -> pure Unreachable
  0x01 -> pure Nop
  0x02 -> Block <$> blockType <*> body
  0x03 -> Loop <$> blockType <*> body
  0x04 -> do
    t <- blockType
    nested
    (yes, stop) <- instructions (depth + 1)
    no <- if stop == 0x05 then body else pure []
    pure (If t yes no)
  0x0c -> Br <$> index
  0x0d -> BrIf <$> index
  0x0e -> BrTable <$> vector index <*> index
  0x0f -> pure Return
  0x10 -> Call <$> index
  0x11 -> CallIndirect <$> index <* zeroByte
  0x1a -> pure Drop
  0x1b -> pure Select
  0x20 -> LocalGet <$> index
  0x21 -> LocalSet <$> index
  0x22 -> LocalTee <$> index
  0x23 -> GlobalGet <$> index
  0x24 -> GlobalSet <$> index
  0x3f -> MemorySize <$ zeroByte
  0x40 -> MemoryGrow <$ zeroByte
  0x41 -> Const . I32 . fromIntegral <$> signed 32
  0x42 -> Const . I64 . fromIntegral <$> signed 64
  0x43 -> Const . F32 . fromIntegral <$> littleEndian 4
  0x44 -> Const . F64 <$> littleEndian 8
  _ | op >= 0x28 && op <= 0x35 -> Load (toEnum (fromIntegral op - 0x28)) <$> memArg
    | op >= 0x36 && op <= 0x3e -> Store (toEnum (fromIntegral op - 0x36)) <$> memArg
    | otherwise -> case numericTable ! op of
        Just i -> pure i
        Nothing -> malformed ("illegal opcode " ++ hex op)
  where
    nested = when (depth >= nestingLimit) $
      malformed ("blocks nested deeper than " ++ show nestingLimit ++ ", the limit of this interpreter")
    body = do
      nested
      (is, stop) <- instructions (depth + 1)
      if stop == 0x0b then pure is else malformed "unexpected else: END opcode expected"
    zeroByte = byte >>= \b -> unless (b == 0) (malformed "zero flag expected")
    memArg = MemArg <$> u32 <*> u32

-- | The instructions without immediates, by opcode.
numericTable :: Array Word8 (Maybe Instr)
numericTable = accumArray (\_ i -> Just i) Nothing (0, 255) (zip [0x45 ..] numeric)
  where
    numeric =
      [Unary I32Eqz] ++ map Binary [I32Eq .. I32GeU]
        ++ [Unary I64Eqz] ++ map Binary [I64Eq .. I64GeU]
        ++ map Binary [F32Eq .. F64Ge]
        ++ map Unary [I32Clz .. I32Popcnt] ++ map Binary [I32Add .. I32Rotr]
        ++ map Unary [I64Clz .. I64Popcnt] ++ map Binary [I64Add .. I64Rotr]
        ++ map Unary [F32Abs .. F32Sqrt] ++ map Binary [F32Add .. F32Copysign]
        ++ map Unary [F64Abs .. F64Sqrt] ++ map Binary [F64Add .. F64Copysign]
        ++ map Unary [I32WrapI64 .. F64ReinterpretI64]

-- | What the code section says of one function: locals and body.
code :: Get ([ValType], [Instr])
code = do
  size <- index
  within "function body" size $ do
    groups <- vector ((,) <$> u32 <*> valType)
    let total = sum (map (fromIntegral . fst) groups) :: Word64
    when (total > 0xffffffff) $ malformed "too many locals"
    when (total > localLimit) $
      malformed ("too many locals: " ++ show total ++ ", and this interpreter takes at most " ++ show localLimit)
    body <- expression
    pure (concat [replicate (fromIntegral n) t | (n, t) <- groups], body)

-- | The limit that browsers' engines agreed upon.
localLimit :: Word64
localLimit = 50000

-- | A section as it is read: what it adds to the module.
data Section = Section
  { secTypes :: [FuncType], secImports :: [Import], secFuncs :: [Int], secTables :: [Limits]
  , secMemories :: [Limits], secGlobals :: [GlobalDef], secExports :: [Export], secStart :: Maybe Int
  , secElems :: [Segment [Int]], secCodes :: [([ValType], [Instr])], secDatas :: [Segment B.ByteString]
  }

section :: Word8 -> Section -> Get Section
section number s = case number of
  1 -> (\x -> s { secTypes = x }) <$> vector functionType
  2 -> (\x -> s { secImports = x }) <$> vector (Import <$> name <*> name <*> importKind)
  3 -> (\x -> s { secFuncs = x }) <$> vector index
  4 -> (\x -> s { secTables = x }) <$> vector tableType
  5 -> (\x -> s { secMemories = x }) <$> vector limits
  6 -> (\x -> s { secGlobals = x }) <$> vector (GlobalDef <$> globalType <*> expression)
  7 -> (\x -> s { secExports = x }) <$> vector (Export <$> name <*> exportKind)
  8 -> (\x -> s { secStart = Just x }) <$> index
  9 -> (\x -> s { secElems = x }) <$> vector (Segment <$> index <*> expression <*> vector index)
  10 -> (\x -> s { secCodes = x }) <$> vector code
  11 -> (\x -> s { secDatas = x }) <$> vector (Segment <$> index <*> expression <*> (index >>= bytes))
  _ -> malformed ("malformed section id " ++ show number)
  where
    importKind = byte >>= \k -> case k of
      0 -> ImportFunc <$> index
      1 -> ImportTable <$> tableType
      2 -> ImportMemory <$> limits
      3 -> ImportGlobal <$> globalType
      _ -> malformed "malformed import kind"
    exportKind = byte >>= \k -> case k of
      0 -> ExportFunc <$> index
      1 -> ExportTable <$> index
      2 -> ExportMemory <$> index
      3 -> ExportGlobal <$> index
      _ -> malformed "malformed export kind"

-- | All sections: in order, each at most once, custom ones anywhere.
sections :: Word8 -> Section -> Get Section
sections previous s = do
  done <- atEnd
  if done
    then pure s
    else do
      number <- byte
      size <- index
      if number == 0
        then within "custom section" size custom >> sections previous s
        else do
          when (number > 11) $ malformed ("malformed section id " ++ show number)
          when (number <= previous) $ malformed "unexpected section: junk after last section, or out of order"
          s' <- within ("section " ++ show number) size (section number s)
          sections number s'
  where
    custom = do
      _ <- name
      left <- remaining
      _ <- bytes left
      pure ()

wholeModule :: Get Module
wholeModule = do
  magic <- Get $ \b at end -> Got (B.take 4 (B.take end b)) (min end (at + 4))
  unless (magic == B.pack [0, 0x61, 0x73, 0x6d]) $ Get $ \_ _ _ ->
    Failed (Malformed 0 (if B.null magic then "the file is empty" else "magic header not detected: this is not a WebAssembly module"))
  version <- littleEndian 4
  unless (version == 1) $ malformed ("unknown binary version " ++ show version)
  s <- sections 0 (Section [] [] [] [] [] [] [] Nothing [] [] [])
  at <- position
  when (length (secFuncs s) /= length (secCodes s)) $ Get $ \_ _ _ ->
    Failed (Malformed at "function and code section have inconsistent lengths")
  pure Module
    { modTypes = secTypes s
    , modImports = secImports s
    , modFuncs = zipWith (\t (ls, body) -> Func t ls body) (secFuncs s) (secCodes s)
    , modTables = secTables s
    , modMemories = secMemories s
    , modGlobals = secGlobals s
    , modExports = secExports s
    , modStart = secStart s
    , modElems = secElems s
    , modDatas = secDatas s
    }

decodeModule :: B.ByteString -> Either Malformed Module
decodeModule b = case runGet wholeModule b 0 (B.length b) of
  Failed e -> Left e
  Got m _ -> Right m
